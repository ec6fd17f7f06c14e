// The scene, and all that shows or moves it.
import type { Model } from './model/model.ts';
import { bindControls } from './page/controls.ts';
import { byId } from './page/dom.ts';
import { bindFind } from './page/find.ts';
import { showLegend } from './page/legend.ts';
import type { Message } from './page/message.ts';
import { bindStatus } from './page/status.ts';
import type { Theme } from './page/theme.ts';
import { bindTip } from './page/tip.ts';
import { mountPanels } from './panels/panels.ts';
import { NoWebGl, View } from './scene/view.ts';

export function start(model: Model, theme: Theme, message: Message): void {
  const view = makeView(model);
  if (!view) return message.noWebGl();
  theme.bind(view);
  bindStatus(model, view);
  bindControls(model, view, bindFind(model, view));
  bindTip(model, view);
  showLegend(model, view);
  mountPanels(byId('panels'), model, view);
  view.element.focus();
  // For the console, and for tests.
  Object.assign(globalThis, { navd: { model, view } });
}

function makeView(model: Model): View | null {
  try {
    return new View(byId<HTMLCanvasElement>('scene'), model);
  } catch (error) {
    if (!(error instanceof NoWebGl)) throw error;
    return null;
  }
}
