// What stands in the panel at the side. The scene comes first: the panels are a chunk of their own, loaded after it.
import type { Model } from '../model/model.ts';
import type { View } from '../scene/view.ts';

export function mountPanels(host: HTMLElement, model: Model, view: View): void {
  void import('./mount.ts').then(({ mountAll }) => mountAll(host, model, view));
}
