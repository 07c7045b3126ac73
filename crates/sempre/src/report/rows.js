// Elements, texts in lines, and lists of which only the rows in sight exist. Texts are broken into lines here, in a font of one width, so that the
// height of each row is known before it exists.
"use strict";
const rows = (() => {
  const LINE = 18, PAD = 8, MOST_LINES = 8;
  const SPACE = "http://www.w3.org/2000/svg";

  function make(tag, name, text) {
    const e = document.createElement(tag);
    if (name) e.className = name;
    if (text !== undefined) e.textContent = text;
    return e;
  }
  function draw(tag, attributes, text) {
    const e = document.createElementNS(SPACE, tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    if (text !== undefined) e.textContent = text;
    return e;
  }
  function button(text, title, action) {
    const b = make("button", "", text);
    b.type = "button";
    b.title = title;
    b.addEventListener("click", action);
    return b;
  }
  // What is wanted in a frame is done once.
  function once(f) {
    let waiting = false;
    return () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => { waiting = false; f(); });
    };
  }

  // The width of a character of the texts that are broken here.
  const CHARACTER = (() => {
    const probe = make("span", "mono probe", "0".repeat(100));
    document.body.append(probe);
    const width = probe.getBoundingClientRect().width / 100;
    probe.remove();
    return width || 8;
  })();
  const fits = (width) => Math.max(8, Math.floor(width / CHARACTER));

  // A text in lines of at most so many characters, at spaces if that leaves no line almost empty; `next` precedes each line but the first.
  function wrap(text, most, next = "") {
    const out = [];
    let rest = text;
    while (rest.length > most) {
      const indent = rest.length - rest.trimStart().length;
      const space = rest.lastIndexOf(" ", most);
      const end = space > Math.max(indent, most / 3) ? space : most;
      out.push(rest.slice(0, end));
      rest = next + rest.slice(end).trimStart();
    }
    out.push(rest);
    if (out.length <= MOST_LINES) return out;
    const shown = out.slice(0, MOST_LINES);
    shown[MOST_LINES - 1] = `${shown[MOST_LINES - 1].slice(0, most - 1)}…`;
    return shown;
  }
  function lines(className, texts) {
    const box = make("span", className);
    for (const text of texts) box.append(make("span", "line", text));
    return box;
  }

  // A list of rows of different heights, of which only those in sight exist. `lines(i)` is how many lines row `i` has.
  class Rows {
    constructor(box, count, row) {
      this.box = box;
      this.count = count;
      this.row = row;
      this.tall = make("div", "tall");
      box.append(this.tall);
      this.tops = new Float64Array(count + 1);
    }
    measure(linesOf, pad) {
      for (let i = 0; i < this.count; i += 1) this.tops[i + 1] = this.tops[i] + linesOf(i) * LINE + pad;
      this.tall.style.height = `${this.tops[this.count]}px`;
    }
    get height() { return this.tops[this.count]; }
    // The row at a height.
    at(y) {
      let [low, high] = [0, this.count - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (this.tops[middle] <= y) low = middle; else high = middle - 1;
      }
      return Math.max(0, low);
    }
    sight() {
      const top = this.box.scrollTop;
      return [Math.max(0, this.at(top) - 6), Math.min(this.count, this.at(top + this.box.clientHeight) + 7)];
    }
    // Puts the rows in sight there, and whatever `beside` makes of them.
    show(beside = () => []) {
      const [first, last] = this.sight();
      const parts = [];
      for (let i = first; i < last; i += 1) {
        const row = this.row(i);
        row.style.top = `${this.tops[i]}px`;
        row.style.height = `${this.tops[i + 1] - this.tops[i]}px`;
        parts.push(row);
      }
      this.tall.replaceChildren(...parts, ...beside(first, last));
    }
    // Scrolls so far that a row and a part of its neighbours are in sight.
    reveal(i) {
      const [top, bottom] = [this.tops[i] - LINE - PAD, this.tops[i + 1] + LINE + PAD];
      if (top < this.box.scrollTop) this.box.scrollTop = Math.max(0, top);
      else if (bottom > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = bottom - this.box.clientHeight;
    }
  }

  return { make, draw, button, once, lines, wrap, fits, Rows, CHARACTER, LINE, PAD };
})();
