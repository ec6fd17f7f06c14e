// All panels, from the one that is needed most.
import type { Model } from '../model/model.ts';
import type { View } from '../scene/view.ts';
import { mountChanges } from './changes.ts';
import { mountExport } from './export.ts';
import { mountFailed } from './failed.ts';
import { mountFigures } from './figures.ts';
import { mountInspector } from './inspector.ts';
import { mountPath } from './path.ts';
import { mountWorld } from './world.ts';

export function mountAll(host: HTMLElement, model: Model, view: View): void {
  mountInspector(host, model, view);
  mountPath(host, model, view);
  mountFailed(host, model, view);
  mountChanges(host, model, view);
  mountFigures(host, model, view);
  mountWorld(host, model);
  mountExport(host, model, view);
}
