/* The protocol of Needham and Schroeder as Lowe mended it. */
#define LOWE
#include "needham_schroeder.pml"
