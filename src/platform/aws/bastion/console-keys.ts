/** What the console of a machine says about the keys of its SSH server. */
export type ConsolePin =
  | { readonly keys: readonly string[] }
  | { readonly fingerprints: readonly string[] };

const KEY = /\b((?:ssh-(?:ed25519|rsa)|ecdsa-sha2-nistp\d+) AAAA[A-Za-z0-9+/]+=*)/g;
/** As CoreOS greets (`SSH host key: SHA256:… (ED25519)`), and as cloud-init lists them. */
const FINGERPRINT = /\b(SHA256:[A-Za-z0-9+/]{43})=?/g;
const BLOCK =
  /-----BEGIN SSH HOST KEY (KEYS|FINGERPRINTS)-----(.*?)-----END SSH HOST KEY \1-----/gs;

/**
 * The host keys in the output of a console, whole ones before fingerprints. Only lines that say that they are host keys
 * count: a console shows keys of users, too.
 */
export function consolePin(output: string): ConsolePin | undefined {
  // Machines may boot more than once, and their keys stay; the greeting repeats them.
  const blocks = [...output.matchAll(BLOCK)].map(([, , text = '']) => text);
  const keys = found(blocks.join('\n'), KEY);
  if (keys.length > 0) return { keys };
  const greeting = output.split(/\r?\n/).filter((line) => /ssh host key/i.test(line));
  const fingerprints = found([...blocks, ...greeting].join('\n'), FINGERPRINT);
  return fingerprints.length > 0 ? { fingerprints } : undefined;
}

function found(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, key = '']) => key))];
}
