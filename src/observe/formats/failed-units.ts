/** `failed-units.txt` of a log bundle: what `systemctl list-units --state=failed` printed. */
export function formatFailedUnits(units: readonly { name: string; about: string }[]): string {
  const width = Math.max(4, ...units.map(({ name }) => name.length));
  const rows = units.map(
    ({ name, about }) => `* ${name.padEnd(width)} loaded failed failed ${about}`,
  );
  const head = `  ${'UNIT'.padEnd(width)} LOAD   ACTIVE SUB    DESCRIPTION`;
  return [head, ...rows, '', `${units.length} loaded units listed.`, ''].join('\n');
}
