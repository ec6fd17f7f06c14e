// What stands in the panel at the side. Each panel gets an element of its own and fills it from the model.
import type { Model } from '../model/model.ts';
import type { View } from '../scene/view.ts';

export function mountPanels(_host: HTMLElement, _model: Model, _view: View): void {}
