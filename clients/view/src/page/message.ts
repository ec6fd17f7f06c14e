// The card in the middle: what a person has to know or choose before there is something to see.
import type { Model } from '../model/model.ts';
import type { WorldEntry } from '../model/types.ts';
import { byId, count, make } from './dom.ts';

const p = (text: string) => make('p', {}, text);

function code(before: string, command: string, after = ''): HTMLElement {
  return make('p', {}, before, make('code', {}, command), after);
}

function worldList(worlds: readonly WorldEntry[], open: (name: string) => void): HTMLElement {
  return make(
    'ul',
    { class: 'worlds' },
    ...worlds.map((world) => {
      const button = make('button', { type: 'button' }, world.name, make('small', {}, `${count(world.instances, 'object')} · revision ${world.revision}`));
      button.addEventListener('click', () => open(world.name));
      return make('li', {}, button);
    }),
  );
}

// What to show now; null: nothing, the scene has it all.
function card(model: Model, open: (name: string) => void): (Node | string)[] | null {
  const { state, message } = model.connection.value;
  if (state === 'refused') {
    return [
      make('h2', {}, 'navd does not let this page in'),
      p(message),
      code('The address that ', 'navctl view', ' prints is valid for a short time only. Run it again and open the new address.'),
    ];
  }
  if (model.world.value === null && state !== 'open') {
    return [make('h2', {}, state === 'waiting' ? 'navd does not answer' : 'Connecting…'), p(state === 'waiting' ? `${message} This page goes on trying.` : 'One moment.')];
  }
  if (model.world.value === null) {
    const worlds = model.worlds.value;
    if (worlds === null) return [make('h2', {}, 'Connecting…'), p('One moment.')];
    const missing = model.missing.value ? [p(model.missing.value)] : [];
    if (worlds.length === 0) {
      return [make('h2', {}, 'There is no world yet'), ...missing, code('Send a scene, and it shows up here: ', 'navctl push SCENE --world NAME')];
    }
    return [make('h2', {}, 'Choose a world'), ...missing, worldList(worlds, open)];
  }
  const { done, total } = model.progress.value;
  if (model.synced.value >= 0 && model.live.tiles.size === 0 && done >= total) {
    return [
      make('h2', {}, `${model.world.value.name} is empty`),
      model.profile.value
        ? code('Nothing stands in it yet. Tiles appear here as soon as it has geometry: ', `navctl push SCENE --world ${model.world.value.name}`)
        : p('It has no agent profile, so nothing is built for it.'),
    ];
  }
  return null;
}

const noWebGlCard = () => [
  make('h2', {}, 'This browser shows no 3D'),
  p('The view needs WebGL 2. It is missing or switched off here.'),
  p('Turn hardware acceleration on in the browser’s settings, or open the address in another browser.'),
];

export interface Message {
  // Nothing can be drawn: from now on it says only that.
  noWebGl(): void;
}

export function bindMessage(model: Model, open: (name: string) => void): Message {
  const box = byId('message');
  let shown = '';
  let wanted = false;
  let webGl = true;
  const show = () => {
    if (wanted) return;
    wanted = true;
    queueMicrotask(() => {
      wanted = false;
      const children = webGl ? card(model, open) : noWebGlCard();
      box.hidden = children === null;
      const text = children?.map((c) => (typeof c === 'string' ? c : c.textContent)).join('|') ?? '';
      if (text === shown) return; // a list that a person is going through stays as it is
      shown = text;
      box.replaceChildren(...(children ?? []));
    });
  };
  for (const signal of [model.connection, model.worlds, model.world, model.missing, model.synced, model.progress]) signal.watch(show as never);
  model.live.changed.on(show);
  return {
    noWebGl() {
      webGl = false;
      show();
    },
  };
}
