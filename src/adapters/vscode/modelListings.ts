// The names that a chat may ask for, from settings and catalogue alone, for the time before the engine is needed.
import { modelCatalogue } from '../../core/catalogue/modelCatalogue.ts';
import { candidatesOf, modelNames, resolveRoute } from '../../core/routes.ts';
import type { ModelListing } from '../../engine/controller.ts';
import { readSettings } from './settingsSource.ts';

/** What `Controller.models()` will say once the engine runs with the settings as they are now. */
export function modelListings(): readonly ModelListing[] {
  const { settings } = readSettings();
  const candidates = candidatesOf(settings, modelCatalogue);
  return modelNames(settings, candidates).map((name) => {
    const windows = resolveRoute(settings, candidates, name).candidates.map(
      (candidate) => candidate.contextWindowTokens,
    );
    return { name, contextWindowTokens: windows.length > 0 ? Math.min(...windows) : 0, candidates: windows.length };
  });
}
