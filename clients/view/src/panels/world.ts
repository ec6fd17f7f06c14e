// The worlds that there are, and the agents of this one with what their tiles are built by.
import type { Model } from '../model/model.ts';
import type { Profile, WorldEntry } from '../model/types.ts';
import { count, make } from '../page/dom.ts';
import { addPanel, button, showRows } from './panel.ts';

const words = (name: string): string => name.replace(/_(m|deg)$/, '').replaceAll('_', ' ');
const unit = (name: string): string => (name.endsWith('_m') ? ' m' : name.endsWith('_deg') ? '°' : '');

function settingRows({ settings }: Profile): (readonly [string, string])[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (typeof value === 'number') return [[words(name), `${Number(value.toPrecision(6))}${unit(name)}`] as const];
    return typeof value === 'string' ? [[words(name), value] as const] : [];
  });
}

export function mountWorld(host: HTMLElement, model: Model): void {
  const worlds = make('ul', { class: 'list', 'aria-label': 'Worlds' });
  const profiles = make('ul', { class: 'list', 'aria-label': 'Agents' });
  const settings = make('dl', { class: 'facts' });
  const pick = (id: string, value: string) => {
    const select = document.getElementById(id) as HTMLSelectElement;
    select.value = value;
    select.dispatchEvent(new Event('change'));
  };
  const entry = (name: string, note: string, current: boolean, run: () => void) => {
    const element = button('', run, { class: 'entry', ...(current ? { 'aria-current': 'true' } : {}) });
    element.append(make('strong', {}, name), make('small', {}, note));
    return make('li', {}, element);
  };
  const panel = addPanel(host, 'worlds', 'Worlds and agents', false, () => {
    const open = model.world.value;
    const profile = model.profile.value;
    const note = (world: WorldEntry) => `${count(world.instances, 'object')}, revision ${world.name === open?.name ? Math.max(world.revision, model.revision.value) : world.revision}`;
    worlds.replaceChildren(...(model.worlds.value ?? []).map((world) => entry(world.name, note(world), world.name === open?.name, () => pick('world', world.name))));
    profiles.replaceChildren(...(open?.profiles ?? []).map(({ name }) => entry(name, '', name === profile?.name, () => pick('profile', name))));
    showRows(settings, profile ? settingRows(profile) : []);
  });
  panel.body.append(make('h3', {}, 'Worlds'), worlds, make('h3', {}, 'Agents'), profiles, settings);
  for (const signal of [model.worlds, model.world, model.profile, model.revision]) signal.watch((() => panel.changed()) as never);
}
