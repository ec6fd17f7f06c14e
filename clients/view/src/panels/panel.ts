// A panel is a card that folds. It is redrawn at most once a frame, and only while it is open: what folds costs nothing.
import { make } from '../page/dom.ts';

export interface Panel {
  body: HTMLElement;
  // Beside the title, such as a number.
  note(text: string): void;
  // Draw again, soon.
  changed(): void;
  readonly open: boolean;
  show(): void;
}

export function addPanel(host: HTMLElement, id: string, title: string, open: boolean, draw: (panel: Panel) => void): Panel {
  const note = make('span', { class: 'panel-note' });
  const body = make('div', { class: 'panel-body' });
  const details = make('details', { class: 'card panel', id: `panel-${id}` }, make('summary', {}, make('h2', {}, title), note), body);
  details.open = open;
  host.append(details);
  let due = false;
  const panel: Panel = {
    body,
    note: (text) => (note.textContent = text),
    changed() {
      if (due || !details.open) return;
      due = true;
      requestAnimationFrame(() => {
        due = false;
        if (details.open) draw(panel);
      });
    },
    get open() {
      return details.open;
    },
    show() {
      details.open = true;
      details.scrollIntoView({ block: 'nearest' });
    },
  };
  details.addEventListener('toggle', () => panel.changed());
  panel.changed();
  return panel;
}

// Puts rows of words and values into a list of definitions. What stays the same is not touched, so that selected text stays.
export function showRows(list: HTMLElement, rows: readonly (readonly [string, string])[]): void {
  const words = rows.flat();
  const children = [...list.children];
  if (children.length === words.length && children.every((child, i) => child.textContent === words[i])) return;
  list.replaceChildren(...rows.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
}

export function button(text: string, run: () => void, attributes: Record<string, string> = {}): HTMLButtonElement {
  const element = make('button', { type: 'button', ...attributes }, text);
  element.addEventListener('click', run);
  return element;
}

// Hands a file to the person.
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = make('a', { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export const micros = (us: number): string => (us < 1000 ? `${us} µs` : us < 1e6 ? `${(us / 1000).toFixed(1)} ms` : `${(us / 1e6).toFixed(1)} s`);
export const ago = (ms: number): string =>
  ms < 1000 ? 'now' : ms < 60_000 ? `${Math.round(ms / 1000)} s ago` : ms < 3_600_000 ? `${Math.round(ms / 60_000)} min ago` : `${Math.round(ms / 3_600_000)} h ago`;

// What happened to a call, in words; a navd that is older than the page lacks some.
export function callError(error: unknown, method: string): string {
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'not_found' && message?.includes(method)) return `This navd has no ${method}.`;
  return message ?? String(error);
}
