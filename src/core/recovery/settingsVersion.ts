// The version of the settings a task is worked on with: equal exactly where every setting is equal, so that a resumed task can
// tell that its configuration has drifted (HFR 5.4). It names no value; keys are not among the settings.
import type { Settings } from '../settings.ts';
import { checksum } from './presets.ts';

/** 8 hex digits over all settings. */
export function settingsVersion(settings: Settings): string {
  return checksum(settings);
}
