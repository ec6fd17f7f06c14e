// Calls a function once nothing has happened for a while, or once that has been waited for too long. However often it is touched, it
// has one timer at most: setting timers for thousands of tiles would take longer than to read them.
export class Settle {
  #run: () => void;
  #quietMs: number;
  #latestMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #first = 0;
  #last = 0;

  constructor(run: () => void, quietMs: number, latestMs = Infinity) {
    this.#run = run;
    this.#quietMs = quietMs;
    this.#latestMs = latestMs;
  }

  // Something has happened.
  touch(): void {
    this.#last = performance.now();
    if (this.#timer !== undefined) return;
    this.#first = this.#last;
    this.#timer = setTimeout(() => this.#look(), this.#quietMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const left = Math.min(this.#last + this.#quietMs, this.#first + this.#latestMs) - performance.now();
    if (left > 0) {
      this.#timer = setTimeout(() => this.#look(), left);
      return;
    }
    this.#timer = undefined;
    this.#run();
  }
}
