// World and agent.
import type { Model } from '../model/model.ts';
import { byId, make } from './dom.ts';

export function bindPickers(model: Model, open: (world: string, profile?: string) => void): void {
  const world = byId<HTMLSelectElement>('world');
  const profile = byId<HTMLSelectElement>('profile');
  const option = (value: string, selected: boolean) => {
    const o = make('option', { value }, value);
    o.selected = selected;
    return o;
  };
  const none = () => {
    const o = option('', true);
    o.textContent = 'none';
    return o;
  };
  const show = () => {
    const name = model.world.value?.name ?? '';
    const names = new Set([...(model.worlds.value ?? []).map((w) => w.name), ...(name ? [name] : [])]);
    world.replaceChildren(...(name ? [] : [none()]), ...[...names].map((n) => option(n, n === name)));
    world.disabled = names.size === 0;
    const profiles = model.world.value?.profiles ?? [];
    profile.replaceChildren(...profiles.map((p) => option(p.name, p.name === model.profile.value?.name)));
    profile.disabled = profiles.length < 2;
    document.title = name ? `${name} – navd` : 'navd';
  };
  model.worlds.watch(show);
  model.world.watch(show);
  model.profile.watch(show);
  world.addEventListener('change', () => world.value && open(world.value));
  profile.addEventListener('change', () => open(world.value, profile.value));
}
