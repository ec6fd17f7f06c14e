// The live 3D view: what is loaded first. The worker has the connection, the model what is known, the view draws it.
import { Model } from './model/model.ts';
import { readAddress, showAddress, socketUrl } from './page/address.ts';
import { bindControls, bindPickers } from './page/controls.ts';
import { byId } from './page/dom.ts';
import { bindFind } from './page/find.ts';
import { showLegend } from './page/legend.ts';
import { bindMessage, showNoWebGl } from './page/message.ts';
import { bindStatus } from './page/status.ts';
import { followTheme } from './page/theme.ts';
import { bindTip } from './page/tip.ts';
import { mountPanels } from './panels/panels.ts';
import { NoWebGl, View } from './scene/view.ts';

const address = readAddress();
const theme = followTheme();
// A new address in the same tab changes only what is behind the #.
addEventListener('hashchange', () => location.reload());
const worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module', name: 'navd' });
const model = new Model(worker);
model.connect(socketUrl(), address.token);

try {
  start(new View(byId<HTMLCanvasElement>('scene'), model));
} catch (error) {
  if (!(error instanceof NoWebGl)) throw error;
  showNoWebGl();
}

function start(view: View): void {
  const open = (world: string, profile = '') => {
    showAddress(world, profile);
    model.open(world, profile);
  };
  theme.bind(view);
  bindPickers(model, open);
  bindMessage(model, open);
  bindStatus(model, view);
  bindControls(model, view, bindFind(model, view));
  bindTip(model, view);
  showLegend(model, view);
  mountPanels(byId('panels'), model, view);
  model.world.watch((world) => {
    if (world) showAddress(world.name, model.profile.value?.name ?? '');
  });
  // The world that the address names, or the only one there is.
  if (address.world) model.open(address.world, address.profile);
  else {
    const stop = model.worlds.watch((worlds) => {
      if (worlds === null) return;
      queueMicrotask(() => stop());
      if (worlds.length === 1 && !model.world.value) open(worlds[0]!.name);
    });
  }
  view.element.focus();
  // For the console, and for tests.
  Object.assign(globalThis, { navd: { model, view } });
}
