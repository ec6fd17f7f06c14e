// The buffer that the meshes of one message share. It grows while tiles come, and goes to the page as a copy of its size.

export class MeshPool {
  words = new Uint32Array(1 << 16);
  floats = new Float32Array(this.words.buffer);
  #used = 0;

  // So many words: where they begin. `words` and `floats` may be others afterwards.
  take(words: number): number {
    const at = this.#used;
    this.#used += words;
    if (this.#used > this.words.length) {
      const bigger = new Uint32Array(2 * this.#used);
      bigger.set(this.words.subarray(0, at));
      this.words = bigger;
      this.floats = new Float32Array(bigger.buffer);
    }
    return at;
  }

  // All of it; then it is empty.
  empty(): ArrayBuffer {
    const used = this.words.buffer.slice(0, this.#used * 4);
    this.#used = 0;
    return used;
  }
}
