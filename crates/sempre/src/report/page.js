// The runs of a report. No library, no network; everything of the model is put in as text, never as markup.
// A row of the list is a state with the step that led to it; only the rows in sight exist. Time goes on where positions end: the
// automaton may need several laps of the cycle, so what is selected is a moment, and its position is where the run is then.
"use strict";
(() => {
  const { make, draw, button, once, lines, wrap, fits, Rows, CHARACTER, LINE, PAD } = rows;
  const BAR = 20, TOP = 28, MOST_VALUES = 400, HIGH = 440, WIDE = 640;
  const runs = JSON.parse(document.getElementById("data").textContent);
  const source = JSON.parse(document.getElementById("source").textContent);

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
      this.marked = [];
      const moved = new Set();
      for (const [, movers] of data.actions) for (const p of movers) moved.add(p);
      this.lanesAll = data.processes.map((_, p) => p).filter((p) => data.processes.length <= 12 || moved.has(p)).slice(0, 40);
      this.build(section.querySelector(".run"));
      this.mark();
      this.fit();
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
      const panes = make("div", source ? "panes three" : "panes");
      root.append(panes);
      this.buildSteps(panes);
      if (source) this.buildSource(panes);
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
      this.names = make("div", "names mono");
      this.tracksBox = box;
      this.scroll = make("div", "scroll");
      this.scroll.tabIndex = 0;
      this.chart = draw("svg", { role: "img" });
      this.chart.append(draw("title", {}, "the truth of each part of the property at each step"));
      this.scroll.append(this.chart);
      this.scroll.addEventListener("scroll", once(() => this.showTracks()));
      this.scroll.addEventListener("click", (e) => {
        const x = e.clientX - this.chart.getBoundingClientRect().left;
        const i = Math.floor(x / this.cell);
        if (i >= 0 && i < d.length) this.select(i);
      });
      box.append(this.names, this.scroll);
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

    // What depends on the width: where texts are broken, how wide cells and lanes are.
    fit() {
      const width = this.section.clientWidth;
      if (this.fitted === width) return;
      this.fitted = width;
      this.drawn = {};
      if (this.scroll) this.fitTracks(width);
      this.fitSteps();
      if (source) this.fitSource();
    }

    // Beside its track a name has part of the width; on a narrow page it is above its track.
    fitTracks(width) {
      const d = this.d;
      const narrow = width < WIDE;
      this.tracksBox.classList.toggle("narrow", narrow);
      const longest = Math.max(...d.tracks.map((t) => t.text.length)) * CHARACTER + 20;
      const room = narrow ? width - 4 : Math.min(longest, 0.42 * width);
      this.names.style.width = `${room}px`;
      this.tops = [TOP];
      this.bars = [];
      this.names.replaceChildren();
      d.tracks.forEach((t, i) => {
        const texts = wrap(t.text, fits(room - 18), "  ");
        const whole = i === d.tracks.length - 1 && !t.proposition;
        const name = lines(whole ? "name whole" : t.proposition ? "name" : "name other", texts);
        if (d.point && d.point.row === i) name.classList.add("point");
        name.title = t.text;
        const top = this.tops[i];
        const high = texts.length * LINE;
        name.style.top = `${top + 1}px`;
        this.names.append(name);
        this.bars.push(narrow ? top + high : top + (high + 2 - BAR) / 2);
        this.tops.push(narrow ? top + high + BAR : top + Math.max(BAR, high + 2));
      });
      const left = narrow ? width : width - room;
      // Short runs get wide cells.
      this.cell = Math.max(14, Math.min(40, Math.floor((left - 4) / (this.rows + 1))));
      const height = this.tops[d.tracks.length] + 4;
      this.names.style.height = `${height}px`;
      this.chart.setAttribute("width", (this.rows + 1) * this.cell);
      this.chart.setAttribute("height", height);
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
      const height = this.tops[d.tracks.length];
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
        const y = this.bars[row];
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
        parts.push(draw("rect", { class: "decides", x: d.point.at * CELL - 1, y: this.bars[d.point.row] + 1, width: CELL + 2, height: BAR - 2, rx: 3 }));
      }
      const x = this.position(this.moment) * CELL;
      parts.push(draw("rect", { class: "cursor", x, y: TOP - 1, width: CELL, height: height - TOP + 2, rx: 3 }));
      this.chart.replaceChildren(this.chart.firstChild, ...parts);
    }

    buildSteps(panes) {
      const box = make("div", "steps");
      this.head = make("div", "lanes-head");
      this.list = make("div", "list");
      this.list.tabIndex = 0;
      this.list.setAttribute("role", "listbox");
      this.list.setAttribute("aria-label", "steps of the run");
      this.steps = new Rows(this.list, this.rows, (r) => this.step(r));
      this.list.addEventListener("scroll", once(() => this.showRows()));
      box.append(this.head, this.list);
      panes.append(box);
    }

    // The lanes get at most a third of the width; those for which there is no room are left out.
    fitSteps() {
      const d = this.d;
      const width = this.list.clientWidth;
      const digits = String(this.rows).length;
      this.number = (digits + 3) * CHARACTER;
      this.left = this.number + 8;
      this.lane = Math.max(9, Math.min(18, width / 3 / Math.max(1, this.lanesAll.length)));
      this.lanes = this.lanesAll.slice(0, Math.floor(width / 3 / this.lane));
      this.laneOf = new Map(this.lanes.map((p, i) => [p, i]));
      this.messagesTo = d.messages.filter((m) => this.laneOf.has(m[1]) && this.laneOf.has(m[3]));
      this.room = this.lanes.length * this.lane;
      this.head.replaceChildren();
      this.head.hidden = !this.lanes.length;
      if (this.lanes.length) {
        const longest = Math.max(...this.lanes.map((p) => d.processes[p].length));
        this.head.style.height = `${Math.min(130, 16 + longest * 7.5)}px`;
        this.lanes.forEach((p, i) => {
          const name = make("span", "", d.processes[p]);
          name.style.left = `${this.left + (i + 0.5) * this.lane - 9}px`;
          name.title = d.processes[p];
          this.head.append(name);
        });
      }
      // What changes is beside the action, or below it.
      const rest = width - this.left - this.room - 26;
      this.beside = rest > 560;
      const [action, change] = this.beside ? [0.5 * rest, 0.5 * rest] : [rest, rest];
      [this.actionRoom, this.changeRoom] = [fits(action), fits(change)];
      this.actionWidth = this.beside ? `${action}px` : "";
      this.wrapped = d.actions.map((a) => wrap(a[0], this.actionRoom, "  "));
      this.steps.measure((r) => {
        const [a, c] = [this.actionLines(r).length, this.changeLines(r).length];
        return this.beside ? Math.max(a, c) : a + c;
      }, PAD);
      this.list.style.height = `${Math.max(160, Math.min(HIGH, this.steps.height))}px`;
    }
    actionLines(r) {
      const a = r === 0 ? -1 : this.d.steps[r - 1];
      return a < 0 ? wrap(this.action(r), this.actionRoom, "  ") : this.wrapped[a];
    }
    changeLines(r) {
      if (r === 0) return [];
      const changes = this.d.changes[r - 1];
      const texts = [];
      for (let i = 0; i < changes.length && i < 24; i += 2) texts.push(`${this.d.variables[changes[i]]} = ${changes[i + 1]}`);
      if (changes.length > 24) texts.push("…");
      return texts.length ? wrap(texts.join(", "), this.changeRoom) : [];
    }

    showRows() {
      const here = this.position(this.moment);
      if (this.same("rows", ...this.steps.sight(), here, this.fitted)) return;
      this.steps.show((first, last) => (this.lanes.length ? [this.drawLanes(first, last)] : []));
    }
    step(r) {
      const d = this.d;
      const row = make("div", "row mono");
      row.setAttribute("role", "option");
      const returns = this.lasso && r === d.length;
      if (this.lasso && r >= d.back && !returns) row.classList.add("cycle");
      if (r === this.position(this.moment)) { row.classList.add("here"); row.setAttribute("aria-selected", "true"); }
      if (d.point && d.point.at === r) row.classList.add("decides");
      const number = make("span", "number", returns ? `↻ ${d.back}` : r);
      number.style.width = `${this.number}px`;
      const room = make("span", "room");
      room.style.width = `${this.room}px`;
      const action = lines("action", this.actionLines(r));
      action.style.width = this.actionWidth;
      const body = make("span", this.beside ? "body beside" : "body");
      body.append(action, lines("change", this.changeLines(r)));
      row.append(number, room, body);
      row.addEventListener("click", () => this.select(returns ? d.back : r));
      return row;
    }

    drawLanes(first, last) {
      const tops = this.steps.tops;
      const x = (p) => (this.laneOf.get(p) + 0.5) * this.lane;
      const y = (r) => tops[r] - tops[first] + (LINE + PAD) / 2;
      const height = tops[last] - tops[first];
      const chart = draw("svg", { width: this.room, height });
      chart.style.left = `${this.left}px`;
      chart.style.top = `${tops[first]}px`;
      for (const p of this.lanes) chart.append(draw("line", { x1: x(p), x2: x(p), y1: 0, y2: height }));
      for (let r = first; r < last; r += 1) {
        for (const p of this.movers(r)) if (this.laneOf.has(p)) chart.append(draw("circle", { cx: x(p), cy: y(r), r: Math.min(4, this.lane / 3) }));
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

    // The text of the model; of a long one, what is near the lines of some run.
    buildSource(panes) {
      const box = make("div", "source");
      const head = make("header");
      head.append(make("span", "mono", source.name));
      if (source.left_out) head.append(make("span", "note", source.left_out));
      this.code = make("div", "code");
      this.code.tabIndex = 0;
      this.code.setAttribute("aria-label", "the text of the model");
      this.code.addEventListener("scroll", once(() => this.showSource()));
      this.text = new Rows(this.code, source.lines.length, (i) => this.sourceLine(i));
      // Which rows are lines that the run executes, and the steps at which it does.
      this.rowOf = new Map(source.lines.map((l, i) => [l[0], i]));
      this.executed = new Map();
      for (let r = 1; r < this.rows; r += 1) {
        for (const line of this.sourceOf(r)) {
          if (!this.executed.has(line)) this.executed.set(line, []);
          this.executed.get(line).push(r);
        }
      }
      box.append(head, this.code);
      panes.append(box);
    }
    sourceOf(r) {
      return r === 0 ? [] : this.d.places[this.d.lines[r - 1]];
    }
    fitSource() {
      this.digits = String(source.lines.length ? source.lines[source.lines.length - 1][0] : 0).length;
      this.codeRoom = fits(this.code.clientWidth - (this.digits + 2) * CHARACTER - 24);
      this.text.measure((i) => this.codeLines(i).length, 0);
      this.code.style.height = `${Math.max(160, Math.min(HIGH, this.text.height))}px`;
    }
    codeLines(i) {
      const [number, text] = source.lines[i];
      if (number === 0) return [text];
      const indent = text.length - text.trimStart().length;
      return wrap(text, this.codeRoom, " ".repeat(Math.min(indent + 4, this.codeRoom >> 1)));
    }
    sourceLine(i) {
      const [number] = source.lines[i];
      const row = make("div", number === 0 ? "gap mono" : "mono");
      if (this.marked.includes(number)) row.classList.add("here");
      const steps = this.executed.get(number);
      if (steps) {
        row.classList.add("executed");
        row.title = `step ${steps.slice(0, 12).join(", ")}${steps.length > 12 ? ", …" : ""}`;
        // The next step at which the run executes it.
        row.addEventListener("click", () => {
          const here = this.position(this.moment);
          const to = steps.find((r) => r > here) ?? steps[0];
          this.select(to < this.d.length ? to : this.d.back);
        });
      }
      const gutter = make("span", "gutter", number || "");
      gutter.style.width = `${(this.digits + 1) * CHARACTER}px`;
      row.append(gutter, lines("text", this.codeLines(i)));
      return row;
    }
    showSource() {
      if (this.same("source", ...this.text.sight(), this.marked.join(), this.fitted)) return;
      this.text.show();
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
      this.steps.reveal(at);
      if (source) {
        this.marked = this.sourceOf(at);
        const rows = this.marked.map((line) => this.rowOf.get(line)).filter((i) => i !== undefined);
        // The first line last: it matters most.
        for (const i of rows.reverse()) this.text.reveal(i);
        this.showSource();
      }
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
  addEventListener("resize", once(() => shown.forEach((r) => { if (r) { r.fit(); r.select(r.moment, false); } })));

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
