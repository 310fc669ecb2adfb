import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { AtollError, messageOf } from '../../core/errors.ts';
import { exists, readText } from '../../core/files.ts';
import { nearest } from '../../core/nearest.ts';
import { parsePullSecret } from '../../generate/pull-secret.ts';
import { OPERATOR_CATALOG } from '../../openshift/repositories.ts';
import { minorOf } from '../../openshift/version.ts';
import type { Terminal } from '../command.ts';

/** What is wrong with an answer; undefined when it will do. */
export type AnswerCheck = (answer: string) => string | undefined | Promise<string | undefined>;

const matching =
  (pattern: RegExp, problem: string): AnswerCheck =>
  (answer) =>
    pattern.test(answer) ? undefined : problem;

export const isName = matching(
  /^[a-z0-9](?:[a-z0-9-]{0,52}[a-z0-9])?$/,
  'a name has small letters, digits and "-"',
);
export const isVersion = matching(/^\d+\.\d+\.\d+/, 'a release looks like 4.18.2');
export const isChannel = matching(/^[a-z]+-\d+\.\d+$/, 'a channel looks like stable-4.18');
export const isDomain = matching(
  /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/,
  'a domain looks like example.com',
);

export const isPullSecret: AnswerCheck = async (path) => {
  if (!(await exists(path))) return `there is no file "${path}"`;
  try {
    const { auths } = parsePullSecret(await readText(path), `"${path}"`);
    return Object.keys(auths).length > 0 ? undefined : `"${path}" has an entry for no registry`;
  } catch (error) {
    return messageOf(error);
  }
};

export const isPublicKey: AnswerCheck = async (path) => {
  if (!(await exists(path))) return `there is no file "${path}"`;
  const isKey = /^(?:ssh-|ecdsa-|sk-)\S+ \S+/.test(await readText(path));
  return isKey ? undefined : `"${path}" holds no public key`;
};

/** The catalog of Red Hat for the minor version of a release. */
export const catalogOf = (version: string): string => `${OPERATOR_CATALOG}:v${minorOf(version)}`;

export const namesIn = (answer: string): string[] =>
  answer.split(',').flatMap((name) => name.trim() || []);

/** Each name must be one of these; a question mark asks for all of them. */
export const isAmong =
  (known: readonly string[] | undefined, where: string): AnswerCheck =>
  (answer) => {
    if (answer === '?')
      return known ? `${where} has ${known.join(', ')}` : `${where} cannot be asked from here`;
    const unknown = namesIn(answer).find((name) => known && !known.includes(name));
    if (unknown === undefined) return undefined;
    const close = nearest(unknown, known ?? []);
    return `${where} has no "${unknown}"${close ? `; did you mean "${close}"?` : ''}`;
  };

const MOST_TRIES = 5;

/** Asks until the answer will do; what was wrong stands before the next question. */
export async function askUntil(
  terminal: Terminal,
  question: string,
  fallback: string,
  check: AnswerCheck = () => undefined,
): Promise<string> {
  if (!terminal.interactive) return await terminal.ask(question, fallback);
  let problem: string | undefined;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const asked = problem === undefined ? question : `${problem}. ${question}`;
    const answer = await terminal.ask(asked, fallback);
    problem = await check(answer);
    if (problem === undefined) return answer;
  }
  throw new AtollError('INPUT_INVALID', `Cannot go on: ${problem}`, {
    hint: 'Run it again when you have it; flags answer, too: atoll init --help',
  });
}

interface FoundAnswers {
  readonly pullSecret: string | undefined;
  readonly sshKey: string | undefined;
}

/** What lies where people keep it. */
export async function findAnswers(
  env: Readonly<Record<string, string | undefined>>,
): Promise<FoundAnswers> {
  const home = env.HOME ?? homedir();
  const names = ['pull-secret.json', 'pull-secret.txt', 'pull-secret'];
  const places = [...names, ...names.map((name) => join(home, name))];
  const keys = await readdir(join(home, '.ssh')).catch(() => []);
  const [key] = keys.filter((name) => name.endsWith('.pub')).toSorted();
  return {
    pullSecret: await firstGood(places, isPullSecret),
    sshKey: key === undefined ? undefined : join(home, '.ssh', key),
  };
}

async function firstGood(
  paths: readonly string[],
  check: AnswerCheck,
): Promise<string | undefined> {
  for (const path of paths) if ((await check(path)) === undefined) return path;
  return undefined;
}
