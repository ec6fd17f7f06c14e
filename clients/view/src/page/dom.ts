// The page's elements. index.html has them all; one that is missing is a defect.
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`index.html has no #${id}`);
  return element as T;
}

type Child = Node | string;

// An element with attributes and children. Text goes in as text, never as markup.
export function make<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export const count = (n: number, one: string, many = `${one}s`): string => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
export const metres = (n: number): string => (Math.abs(n) < 1e5 ? n.toFixed(2) : n.toFixed(0));
