// Dark or light: what the system says, until a person chooses.
import type { View } from '../scene/view.ts';
import { byId } from './dom.ts';

const KEY = 'navd.theme';

export interface Theme {
  // Gives a view the theme, now and when it changes.
  bind(view: View): void;
}

export function followTheme(): Theme {
  const system = matchMedia('(prefers-color-scheme: dark)');
  let chosen = load();
  const dark = () => (chosen ? chosen === 'dark' : system.matches);
  const views: View[] = [];
  const apply = () => {
    if (chosen) document.documentElement.dataset.theme = chosen;
    const button = byId('theme');
    button.textContent = dark() ? 'Light' : 'Dark';
    button.title = dark() ? 'Light colours' : 'Dark colours';
    for (const view of views) view.setTheme(dark());
  };
  system.addEventListener('change', apply);
  byId('theme').addEventListener('click', () => {
    chosen = dark() ? 'light' : 'dark';
    save(chosen);
    apply();
  });
  apply();
  return {
    bind: (view) => {
      views.push(view);
      view.setTheme(dark());
    },
  };
}

function load(): string {
  try {
    const value = localStorage.getItem(KEY) ?? '';
    return value === 'dark' || value === 'light' ? value : '';
  } catch {
    return '';
  }
}

function save(value: string): void {
  try {
    localStorage.setItem(KEY, value);
  } catch {
    // It lasts until the page is closed.
  }
}
