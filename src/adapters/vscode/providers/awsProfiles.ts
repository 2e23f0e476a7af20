// The names of the AWS profiles of this machine, for a pick list. Only section headings are read, never the keys below them.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

const HEADING = /^\s*\[\s*(?:profile\s+)?([^\]\s]+)\s*\]/;
const MAX_CHARS = 1_048_576;

/** Profiles of the configuration and the credentials file, in order. */
export function awsProfiles(): readonly string[] {
  const folder = path.join(homedir(), '.aws');
  const files = [
    process.env.AWS_CONFIG_FILE ?? path.join(folder, 'config'),
    process.env.AWS_SHARED_CREDENTIALS_FILE ?? path.join(folder, 'credentials'),
  ];
  return profileNames(files.map(textOf).join('\n'));
}

/** The names in the text of such files. Sessions and services are sections too, and no profiles. */
export function profileNames(text: string): readonly string[] {
  const names = text
    .slice(0, MAX_CHARS)
    .split(/\r?\n/)
    .flatMap((line) => HEADING.exec(line)?.[1] ?? []);
  return [...new Set(names)].filter((name) => name !== 'sso-session' && name !== 'services');
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
