// The runs of a report. No library, no network; everything of the model is put in as text, never as markup.
// A row of the list is a state with the step that led to it; only the rows in sight exist. Time goes on where positions end: the
// automaton may need several laps of the cycle, so what is selected is a moment, and its position is where the run is then.
"use strict";
(() => {
  const ROW = 26, LANE = 18, TRACK = 20, TOP = 28, MOST_VALUES = 400, HIGH = 440;
  const SPACE = "http://www.w3.org/2000/svg";
  const runs = JSON.parse(document.getElementById("data").textContent);

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

  class Run {
    constructor(section, data) {
      this.section = section;
      this.d = data;
      this.lasso = data.back !== null;
      this.rows = data.length + (this.lasso ? 1 : 0);
      // Moments: as many as the automaton needs to close its own cycle.
      this.laps = data.path && this.lasso && data.path.length > data.length;
      this.moments = this.laps ? data.path.length : data.length;
      this.moment = 0;
      this.all = true;
      this.known = new Map([[0, data.first]]);
      this.drawn = {};
      const moved = new Set();
      for (const [, movers] of data.actions) for (const p of movers) moved.add(p);
      this.lanes = data.processes.map((_, p) => p).filter((p) => data.processes.length <= 12 || moved.has(p)).slice(0, 40);
      this.laneOf = new Map(this.lanes.map((p, i) => [p, i]));
      this.messagesTo = data.messages.filter((m) => this.laneOf.has(m[1]) && this.laneOf.has(m[3]));
      // Short runs get wide cells.
      this.cell = Math.max(14, Math.min(40, Math.floor((section.clientWidth - 320) / (this.rows + 1))));
      this.build(section.querySelector(".run"));
      this.mark();
      this.select(data.point ? data.point.at : 0, false);
    }

    position(moment) {
      const { length, back } = this.d;
      return moment < length ? moment : back + (moment - back) % (length - back);
    }
    // The state at a position, by way of the nearest known one before it.
    state(position) {
      let at = position - position % 128;
      while (!this.known.has(at)) at -= 128;
      let cells = this.known.get(at);
      if (at < position) cells = cells.slice();
      while (at < position) {
        const changes = this.d.changes[at];
        for (let i = 0; i < changes.length; i += 2) cells[changes[i]] = changes[i + 1];
        at += 1;
        if (at % 128 === 0 && !this.known.has(at)) this.known.set(at, cells.slice());
      }
      return cells;
    }
    action(row) {
      if (row === 0) return "initial state";
      const a = this.d.steps[row - 1];
      return a < 0 ? "(nothing can move)" : this.d.actions[a][0];
    }
    movers(row) {
      const a = row === 0 ? -1 : this.d.steps[row - 1];
      return a < 0 ? [] : this.d.actions[a][1];
    }

    build(root) {
      const d = this.d;
      const bar = make("div", "bar");
      this.where = make("span", "where mono");
      bar.append(
        button("|◀", "first step (Home)", () => this.select(0)),
        button("◀", "one step back (←)", () => this.go(-1)),
        button("▶", "one step on (→)", () => this.go(1)),
        button("▶|", "last step (End)", () => this.select(d.length - 1)));
      if (this.lasso) bar.append(button("↻ cycle", "where the cycle begins (c)", () => this.select(d.back)));
      if (d.point) bar.append(button("◎ decided", "the step that decides (d)", () => this.select(d.point.at)));
      bar.append(this.where);
      const end = this.lasso ? `${d.back} steps, then a cycle of ${d.length - d.back} for ever`
        : `${d.length - 1} steps; ${d.end}`;
      bar.append(make("span", "key", end));
      root.append(bar);
      if (d.tracks.length) this.buildTracks(root);
      const panes = make("div", "panes");
      root.append(panes);
      this.buildSteps(panes);
      this.buildState(panes);
      this.section.addEventListener("focusin", () => { active = this; });
      this.section.addEventListener("pointerdown", () => { active = this; });
      for (const a of this.section.querySelectorAll("a.step")) {
        a.addEventListener("click", (e) => { e.preventDefault(); this.select(Number(a.dataset.step)); });
      }
    }

    buildTracks(root) {
      const d = this.d;
      const box = make("div", "tracks");
      const names = make("div", "names mono");
      d.tracks.forEach((t, i) => {
        const whole = i === d.tracks.length - 1 && !t.proposition;
        const name = make("div", whole ? "whole" : t.proposition ? "" : "other", t.text);
        if (d.point && d.point.row === i) name.classList.add("point");
        name.title = t.text;
        names.append(name);
      });
      this.scroll = make("div", "scroll");
      this.scroll.tabIndex = 0;
      const wide = (this.rows + 1) * this.cell;
      this.chart = draw("svg", { width: wide, height: TOP + d.tracks.length * TRACK + 4, role: "img" });
      this.chart.append(draw("title", {}, "the truth of each part of the property at each step"));
      this.scroll.append(this.chart);
      this.scroll.addEventListener("scroll", once(() => this.showTracks()));
      this.scroll.addEventListener("click", (e) => {
        const x = e.clientX - this.chart.getBoundingClientRect().left;
        const i = Math.floor(x / this.cell);
        if (i >= 0 && i < d.length) this.select(i);
      });
      box.append(names, this.scroll);
      root.append(box);
      const key = make("div", "key");
      for (const [value, word] of [["true", "true"], ["false", "false"], ["open", "open: decided later"]]) {
        if (value === "open" && this.lasso) continue;
        const i = make("i");
        i.style.background = `var(--${value})`;
        key.append(i, word);
      }
      if (this.lasso) {
        const i = make("i");
        i.style.background = "var(--loop-line)";
        key.append(i, "the cycle");
      }
      root.append(key);
    }

    // Is that what was drawn last?
    same(what, ...now) {
      const key = now.join();
      if (this.drawn[what] === key) return true;
      this.drawn[what] = key;
      return false;
    }

    showTracks() {
      if (!this.scroll) return;
      const d = this.d;
      const CELL = this.cell;
      const first = Math.max(0, Math.floor(this.scroll.scrollLeft / CELL) - 8);
      const last = Math.min(d.length, first + Math.ceil(this.scroll.clientWidth / CELL) + 16);
      if (this.same("tracks", first, last, this.moment)) return;
      const parts = [];
      const height = TOP + d.tracks.length * TRACK;
      if (this.lasso && last > d.back) {
        parts.push(draw("rect", { class: "loop", x: d.back * CELL, y: 0, width: (d.length - d.back) * CELL, height }));
        const [a, b] = [d.back * CELL + CELL / 2, d.length * CELL - CELL / 2];
        parts.push(draw("path", { class: "loop-line", d: `M${b} 12V4H${a}V8` }));
        parts.push(draw("path", { class: "tip", d: `M${a - 4} 7h8l-4 7z` }));
      }
      for (let i = first; i < last; i += 1) {
        if (i % 5 === 0) parts.push(draw("text", { x: i * CELL + CELL / 2, y: TOP - 4, "text-anchor": "middle" }, i));
      }
      d.tracks.forEach((track, row) => {
        let at = 0;
        const y = TOP + row * TRACK;
        for (let k = 0; k < track.runs.length && at < last; k += 2) {
          const [value, count] = [track.runs[k], track.runs[k + 1]];
          const [from, to] = [Math.max(at, first), Math.min(at + count, last)];
          at += count;
          if (from >= to) continue;
          const [high, low] = value === 2 ? [14, 3] : value === 1 ? [8, 6] : [4, 13];
          parts.push(draw("rect", { class: `v${value}`, x: from * CELL, y: y + low, width: (to - from) * CELL, height: high, rx: 2 }));
        }
      });
      if (d.point && d.point.row !== null) {
        parts.push(draw("rect", { class: "decides", x: d.point.at * CELL - 1, y: TOP + d.point.row * TRACK + 1, width: CELL + 2, height: TRACK - 2, rx: 3 }));
      }
      const x = this.position(this.moment) * CELL;
      parts.push(draw("rect", { class: "cursor", x, y: TOP - 1, width: CELL, height: height - TOP + 2, rx: 3 }));
      this.chart.replaceChildren(this.chart.firstChild, ...parts);
    }

    buildSteps(panes) {
      const box = make("div", "steps");
      this.left = 74;
      this.room = this.lanes.length * LANE;
      if (this.lanes.length) {
        const head = make("div", "lanes-head");
        const longest = Math.max(...this.lanes.map((p) => this.d.processes[p].length));
        head.style.height = `${Math.min(130, 16 + longest * 7.5)}px`;
        this.lanes.forEach((p, i) => {
          const name = make("span", "", this.d.processes[p]);
          name.style.left = `${this.left + i * LANE}px`;
          name.title = this.d.processes[p];
          head.append(name);
        });
        box.append(head);
      }
      this.list = make("div", "list");
      this.list.tabIndex = 0;
      this.list.setAttribute("role", "listbox");
      this.list.setAttribute("aria-label", "steps of the run");
      this.tall = make("div", "tall");
      this.tall.style.height = `${this.rows * ROW}px`;
      this.list.style.height = `${Math.max(160, Math.min(HIGH, this.rows * ROW))}px`;
      this.list.append(this.tall);
      this.list.addEventListener("scroll", once(() => this.showRows()));
      box.append(this.list);
      panes.append(box);
    }

    showRows() {
      const d = this.d;
      const first = Math.max(0, Math.floor(this.list.scrollTop / ROW) - 6);
      const last = Math.min(this.rows, first + Math.ceil(this.list.clientHeight / ROW) + 12);
      const here = this.position(this.moment);
      if (this.same("rows", first, last, here)) return;
      const parts = [];
      for (let r = first; r < last; r += 1) {
        const row = make("div", "row");
        row.setAttribute("role", "option");
        row.style.top = `${r * ROW}px`;
        const returns = this.lasso && r === d.length;
        if (this.lasso && r >= d.back && !returns) row.classList.add("cycle");
        if (r === here) { row.classList.add("here"); row.setAttribute("aria-selected", "true"); }
        if (d.point && d.point.at === r) row.classList.add("decides");
        row.append(make("span", "number mono", returns ? `↻ ${d.back}` : r));
        const room = make("span", "room");
        room.style.width = `${this.room}px`;
        row.append(room, make("span", "action", this.action(r)));
        const change = make("span", "change mono");
        if (r > 0) {
          const changes = d.changes[r - 1];
          for (let i = 0; i < changes.length && i < 24; i += 2) {
            if (i) change.append("  ");
            change.append(`${d.variables[changes[i]]} = `, make("b", "", changes[i + 1]));
          }
          if (changes.length > 24) change.append("  …");
        }
        row.append(change);
        row.addEventListener("click", () => this.select(returns ? d.back : r));
        parts.push(row);
      }
      if (this.lanes.length) parts.push(this.drawLanes(first, last));
      this.tall.replaceChildren(...parts);
    }

    drawLanes(first, last) {
      const x = (p) => this.laneOf.get(p) * LANE + LANE / 2;
      const y = (r) => (r - first) * ROW + ROW / 2;
      const chart = draw("svg", { width: this.room, height: (last - first) * ROW });
      chart.style.left = `${this.left}px`;
      chart.style.top = `${first * ROW}px`;
      for (const p of this.lanes) chart.append(draw("line", { x1: x(p), x2: x(p), y1: 0, y2: (last - first) * ROW }));
      for (let r = first; r < last; r += 1) {
        for (const p of this.movers(r)) if (this.laneOf.has(p)) chart.append(draw("circle", { cx: x(p), cy: y(r), r: 4 }));
      }
      for (const [from, sender, to, receiver, channel] of this.messagesTo) {
        if (to < first || from >= last) continue;
        const [x1, y1, x2, y2] = [x(sender), y(from), x(receiver), y(to)];
        const line = draw("line", { class: "message", x1, y1, x2, y2 });
        line.append(draw("title", {}, channel || "rendezvous"));
        const length = Math.hypot(x2 - x1, y2 - y1) || 1;
        const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
        const [tx, ty] = [x2 - 4 * dx, y2 - 4 * dy];
        const [bx, by] = [tx - 7 * dx, ty - 7 * dy];
        chart.append(line, draw("path", { class: "head", d: `M${tx} ${ty}L${bx - 3.5 * dy} ${by + 3.5 * dx}L${bx + 3.5 * dy} ${by - 3.5 * dx}Z` }));
      }
      return chart;
    }

    buildState(panes) {
      const box = make("div", "state");
      const head = make("header");
      this.filter = make("input");
      this.filter.type = "search";
      this.filter.placeholder = "filter by name (/)";
      this.filter.setAttribute("aria-label", "filter variables by name");
      this.filter.addEventListener("input", () => this.showState());
      this.toggle = button("changed only", "only what the step changed (v)", () => this.flip());
      head.append(this.filter, this.toggle);
      this.values = make("div", "values mono");
      this.values.tabIndex = 0;
      this.values.style.maxHeight = `${HIGH}px`;
      box.append(head, this.values);
      panes.append(box);
    }

    flip() {
      this.all = !this.all;
      this.toggle.setAttribute("aria-pressed", String(!this.all));
      this.showState();
    }

    showState() {
      const d = this.d;
      const at = this.position(this.moment);
      const cells = this.state(at);
      // The step to the first state of the cycle may have come from its end.
      const before = this.moment === 0 ? null : this.state(this.position(this.moment - 1));
      const wanted = this.filter.value.toLowerCase();
      const table = make("table");
      let shown = 0, hidden = 0;
      for (let i = 0; i < cells.length; i += 1) {
        const changed = before !== null && before[i] !== cells[i];
        if (!this.all && !changed) continue;
        if (wanted && !d.variables[i].toLowerCase().includes(wanted)) continue;
        if (shown >= MOST_VALUES) { hidden += 1; continue; }
        shown += 1;
        const row = make("tr", changed ? "changed" : "");
        const value = make("td");
        if (changed) value.append(make("span", "old", before[i]));
        value.append(make("span", "", cells[i]));
        row.append(make("td", "", d.variables[i]), value);
        table.append(row);
      }
      const parts = [table];
      if (hidden) parts.push(make("p", "note", `and ${hidden} more: filter by name`));
      if (!shown) parts.push(make("p", "note", wanted ? "no variable of that name here" : "nothing changed"));
      this.values.replaceChildren(...parts);
    }

    // The way of the run through the automaton.
    mark() {
      const path = this.d.path;
      this.drawing = this.section.querySelector(".drawing svg");
      if (!this.drawing || !path || !path.length) return;
      for (let i = 0; i < path.length; i += 1) {
        this.spot(path[i], "visited");
        const to = this.after(i);
        if (to !== undefined) this.arrow(path[i], to, "visited");
      }
    }
    after(moment) {
      const { path, path_back: back } = this.d;
      return moment + 1 < path.length ? path[moment + 1] : back === null ? undefined : path[back];
    }
    spot(state, name) {
      const e = this.drawing.querySelector(`.state[data-state="${state}"]`);
      if (e) e.classList.add(name);
    }
    arrow(from, to, name) {
      const e = this.drawing.querySelector(`.edge[data-from="${from}"][data-to="${to}"]`);
      if (e) e.classList.add(name);
    }
    showAutomaton() {
      const path = this.d.path;
      if (!this.drawing || !path || this.moment >= path.length) return "";
      for (const e of this.drawing.querySelectorAll(".here, .taken")) e.classList.remove("here", "taken");
      this.spot(path[this.moment], "here");
      const to = this.after(this.moment);
      if (to !== undefined) this.arrow(path[this.moment], to, "taken");
      return `, automaton in ${path[this.moment]}`;
    }

    select(moment, follow = true) {
      this.moment = Math.max(0, Math.min(this.moments - 1, moment));
      const at = this.position(this.moment);
      const lap = this.moment >= this.d.length ? `, lap ${1 + Math.floor((this.moment - this.d.back) / (this.d.length - this.d.back))}` : "";
      this.where.textContent = `step ${at} of ${this.d.length - 1}${lap}${this.showAutomaton()}`;
      const top = at * ROW;
      if (top < this.list.scrollTop + ROW) this.list.scrollTop = Math.max(0, top - ROW);
      const bottom = top + 2 * ROW - this.list.clientHeight;
      if (bottom > this.list.scrollTop) this.list.scrollTop = bottom;
      if (this.scroll) {
        const x = at * this.cell;
        const wide = this.scroll.clientWidth;
        if (x < this.scroll.scrollLeft + 40 || x > this.scroll.scrollLeft + wide - 40) this.scroll.scrollLeft = x - wide / 2;
      }
      if (follow) active = this;
      this.showRows();
      this.showTracks();
      this.showState();
    }
    go(by) {
      let to = this.moment + by;
      // For ever: the last moment is followed by the first of the cycle.
      if (to >= this.moments && this.lasso) to = this.laps ? this.d.path_back : this.d.back;
      this.select(to);
    }
  }

  let active = null;
  const sections = [...document.querySelectorAll("section.property")];
  const shown = sections.map((s, i) => (runs[i] ? new Run(s, runs[i]) : null));
  active = shown.find((r) => r) || null;
  addEventListener("resize", once(() => shown.forEach((r) => { if (r) { r.showRows(); r.showTracks(); } })));

  const keys = [
    ["→ ←", "one step on, one back"], ["↓ ↑", "the same, in the list"], ["PgDn PgUp", "twenty steps, in the list"], ["Home End", "first step, last step"],
    ["c", "where the cycle begins"], ["d", "the step that decides"], ["v", "all variables, or what changed"], ["/", "filter variables by name"],
    ["n p", "next property, previous property"], ["t", "light or dark"], ["?", "this table"]];
  const help = make("dialog");
  const table = make("table");
  for (const [key, what] of keys) {
    const row = make("tr");
    const cell = make("td");
    for (const k of key.split(" ")) cell.append(make("kbd", "", k), " ");
    row.append(cell, make("td", "", what));
    table.append(row);
  }
  help.append(table);
  help.addEventListener("click", () => help.close());
  document.body.append(help);
  const ask = () => (help.open ? help.close() : help.showModal());
  document.getElementById("help-button").addEventListener("click", ask);

  function theme() {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  }
  function turn(by) {
    const now = active ? sections.indexOf(active.section) : -1;
    const to = Math.max(0, Math.min(sections.length - 1, now + by));
    active = shown[to] || active;
    sections[to].scrollIntoView();
    sections[to].focus({ preventScroll: true });
  }
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.target instanceof HTMLInputElement) {
      if (e.key === "Escape") { e.target.blur(); e.preventDefault(); }
      return;
    }
    const run = active;
    // Elsewhere these scroll the page.
    const listed = run && run.list.contains(e.target) && {
      ArrowDown: () => run.go(1), ArrowUp: () => run.go(-1),
      PageDown: () => run.select(run.moment + 20), PageUp: () => run.select(run.moment - 20),
    };
    const moves = run && {
      ArrowRight: () => run.go(1), j: () => run.go(1), ArrowLeft: () => run.go(-1), k: () => run.go(-1),
      Home: () => run.select(0), End: () => run.select(run.d.length - 1),
      c: () => run.lasso && run.select(run.d.back),
      d: () => run.d.point && run.select(run.d.point.at),
      v: () => run.flip(), "/": () => run.filter.focus(),
    };
    const others = { n: () => turn(1), p: () => turn(-1), t: theme, "?": ask };
    const action = (listed && listed[e.key]) || (moves && moves[e.key]) || others[e.key];
    if (action) { e.preventDefault(); action(); }
  });
  document.documentElement.dataset.ready = "yes";
})();
