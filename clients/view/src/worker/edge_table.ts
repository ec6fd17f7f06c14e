// The edges of a tile's cells, found among those of their triangles. An edge that a cell has twice is inside of it; one that two cells
// have is no wall. Edges are found again by their two vertices, in a table with open addressing.

export class EdgeTable {
  // The edges of cells, in the order in which they were found: as given to add(), and whether only one cell has it.
  count = 0;
  from = new Uint32Array(0);
  to = new Uint32Array(0);
  wall = new Uint8Array(0);
  #mask = 0;
  #slots = new Int32Array(0); // number of an entry, -1: free
  #entries = 0;
  #low = new Uint32Array(0); // the vertices of each entry
  #high = new Uint32Array(0);
  #cell = new Int32Array(0); // the newest cell that has it
  #edge = new Int32Array(0); // where it is among the edges of cells, -1: not there
  #now = 0; // number of the present cell
  // Edges of the present cell, in the order of their first appearance.
  #mine = new Uint32Array(0);
  #mineFrom = new Uint32Array(0);
  #mineTo = new Uint32Array(0);
  #mineInside = new Uint8Array(0);
  #mineAt = new Int32Array(0); // for each entry, where it is among them
  #mines = 0;

  // For a tile whose triangles have so many edges.
  clear(edges: number): void {
    this.count = this.#entries = this.#now = this.#mines = 0;
    if (edges > this.from.length) this.#grow(Math.max(512, 2 * edges));
    // A table of its own size for each tile: clearing a large one would cost more than a small tile does.
    let slots = 64;
    while (slots < 2 * edges) slots *= 2;
    this.#mask = slots - 1;
    this.#slots.fill(-1, 0, slots);
  }

  #grow(n: number): void {
    let slots = 64;
    while (slots < 2 * n) slots *= 2;
    this.#slots = new Int32Array(slots);
    this.from = new Uint32Array(n);
    this.to = new Uint32Array(n);
    this.wall = new Uint8Array(n);
    this.#low = new Uint32Array(n);
    this.#high = new Uint32Array(n);
    this.#cell = new Int32Array(n);
    this.#edge = new Int32Array(n);
    this.#mine = new Uint32Array(n);
    this.#mineFrom = new Uint32Array(n);
    this.#mineTo = new Uint32Array(n);
    this.#mineInside = new Uint8Array(n);
    this.#mineAt = new Int32Array(n);
  }

  // An edge of a triangle of the present cell: two vertices, and the caller's names of its ends.
  add(a: number, b: number, from: number, to: number): void {
    const low = a < b ? a : b;
    const high = a < b ? b : a;
    const entry = this.#find(low, high);
    if (this.#cell[entry] === this.#now) {
      this.#mineInside[this.#mineAt[entry]!] = 1;
      return;
    }
    this.#cell[entry] = this.#now;
    const at = this.#mines++;
    this.#mineAt[entry] = at;
    this.#mine[at] = entry;
    this.#mineFrom[at] = from;
    this.#mineTo[at] = to;
    this.#mineInside[at] = 0;
  }

  endCell(): void {
    for (let i = 0; i < this.#mines; i++) {
      if (this.#mineInside[i]) continue;
      const entry = this.#mine[i]!;
      const known = this.#edge[entry]!;
      if (known >= 0) {
        this.wall[known] = 0;
        continue;
      }
      this.#edge[entry] = this.count;
      this.from[this.count] = this.#mineFrom[i]!;
      this.to[this.count] = this.#mineTo[i]!;
      this.wall[this.count++] = 1;
    }
    this.#mines = 0;
    this.#now++;
  }

  #find(low: number, high: number): number {
    let slot = (Math.imul(low, 0x9e3779b1) ^ Math.imul(high, 0x85ebca6b)) >>> 7;
    for (;; slot++) {
      slot &= this.#mask;
      const entry = this.#slots[slot]!;
      if (entry < 0) break;
      if (this.#low[entry] === low && this.#high[entry] === high) return entry;
    }
    const entry = this.#entries++;
    this.#slots[slot] = entry;
    this.#low[entry] = low;
    this.#high[entry] = high;
    this.#cell[entry] = -1;
    this.#edge[entry] = -1;
    return entry;
  }
}
