// Values that can be watched. Everything runs on the page's thread; a listener is called at once, in the order of registration.

export type Stop = () => void;

// A value with listeners. `watch` calls the listener with the present value first.
export class Signal<T> {
  #value: T;
  #listeners = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener(value);
  }

  watch(listener: (value: T) => void): Stop {
    this.#listeners.add(listener);
    listener(this.#value);
    return () => this.#listeners.delete(listener);
  }
}

// Something that happens, without a value that stays.
export class Event<T> {
  #listeners = new Set<(value: T) => void>();

  emit(value: T): void {
    for (const listener of [...this.#listeners]) listener(value);
  }

  on(listener: (value: T) => void): Stop {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
