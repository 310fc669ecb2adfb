/** An object of a cluster that has a spec. */
export function clusterObject<const V extends string, const K extends string, const M, S>(
  apiVersion: V,
  kind: K,
  metadata: M,
  spec: S,
) {
  return { apiVersion, kind, metadata, spec } as const;
}
