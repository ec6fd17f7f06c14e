// The live 3D view: what is loaded first. It starts the worker, which connects and reads tiles while the code of the scene, seven
// eighths of the page, is still on its way. The worker has the connection, the model what is known, the view draws it.
import { Model } from './model/model.ts';
import { readAddress, showAddress, socketUrl } from './page/address.ts';
import { bindMessage } from './page/message.ts';
import { bindPickers } from './page/pickers.ts';
import { followTheme } from './page/theme.ts';

const address = readAddress();
// A new address in the same tab changes only what is behind the #.
addEventListener('hashchange', () => location.reload());
const theme = followTheme();
const worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module', name: 'navd' });
// The browser starts a worker on the page's thread: first that, then what keeps this thread busy.
const started = new Promise<void>((resolve) => {
  for (const event of ['message', 'error']) worker.addEventListener(event, () => resolve(), { once: true });
});
const model = new Model(worker);
const open = (world: string, profile = '') => {
  showAddress(world, profile);
  model.open(world, profile);
};
// The world that the address names, or the only one there is.
if (address.world) model.open(address.world, address.profile);
else {
  const stop = model.worlds.watch((worlds) => {
    if (worlds === null) return;
    queueMicrotask(() => stop());
    if (worlds.length === 1 && !model.world.value) open(worlds[0]!.name);
  });
}
model.connect(socketUrl(), address.token);
bindPickers(model, open);
const message = bindMessage(model, open);
model.world.watch((world) => {
  if (world) showAddress(world.name, model.profile.value?.name ?? '');
});

await started;
const { start } = await import('./start.ts');
start(model, theme, message);
