/** The order in which an install happens: what fails first explains what fails after it. */
const ORDER: readonly RegExp[] = [
  /^cli:/,
  /^journal:bastion\//,
  /^journal:bootstrap\/node-image/,
  /^(?:journal:bootstrap|record:)\/?release-image/,
  /^(?:journal:bootstrap|record:)\/?crio/,
  /^(?:journal:bootstrap|record:)\/?kubelet/,
  /^(?:journal:bootstrap|record:)\/?bootkube/,
  /^journal:bootstrap\//,
  /^file:|^record:/,
  /^console:|^aws:/,
  /^journal:node\/machine-config-daemon/,
  /^journal:node\//,
  /^object:(?:CertificateSigningRequest|Machine|Node)/,
  /^event:|^object:Pod/,
  /^object:|^pod:/,
  /^installer-log$/,
];

export function rankOf(origins: readonly string[]): number {
  const ranks = origins.map((origin) => ORDER.findIndex((pattern) => pattern.test(origin)));
  return Math.min(...ranks.map((rank) => (rank < 0 ? ORDER.length : rank)));
}
