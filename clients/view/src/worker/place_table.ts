// Finds the first of several vertices at the same place: a table with open addressing.

export class PlaceTable {
  #mask = 0;
  #slots = new Int32Array(0); // number of a vertex, -1: free
  #x = new Float32Array(0);
  #y = new Float32Array(0);
  #z = new Float32Array(0);

  // For so many vertices, which are numbered from 0.
  clear(vertices: number): void {
    let slots = 16;
    while (slots < 2 * vertices) slots *= 2;
    if (slots > this.#slots.length) {
      this.#slots = new Int32Array(slots);
      this.#x = new Float32Array(slots);
      this.#y = new Float32Array(slots);
      this.#z = new Float32Array(slots);
    }
    this.#mask = slots - 1;
    this.#slots.fill(-1, 0, slots);
  }

  // The first vertex at this place, which may be the one given. Coordinates in columns and voxels, as tiles have them.
  first(x: number, y: number, z: number, vertex: number): number {
    // Detail vertices lie between the columns: a sixteenth of one is enough to spread them.
    let slot = (Math.imul((x * 16) | 0, 0x9e3779b1) ^ Math.imul((z * 16) | 0, 0x85ebca6b) ^ Math.imul((y * 16) | 0, 0xc2b2ae35)) >>> 9;
    for (;; slot++) {
      slot &= this.#mask;
      const known = this.#slots[slot]!;
      if (known < 0) break;
      if (this.#x[known] === x && this.#y[known] === y && this.#z[known] === z) return known;
    }
    this.#slots[slot] = vertex;
    this.#x[vertex] = x;
    this.#y[vertex] = y;
    this.#z[vertex] = z;
    return vertex;
  }
}
