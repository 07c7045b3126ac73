mod complaints;
mod meaning;
