import { KINDS } from '../../../src/cluster/api/kinds.ts';
import { silentContext } from '../../../src/core/context.ts';
import { certificateRequest, type RequestNames } from './client-authority.ts';
import type { FakeOperators } from './fake-operators.ts';
import type { ApiUser, KubeApi } from './kube-api.ts';

export const CLIENT = {
  signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
  usages: ['digital signature', 'client auth'],
};
export const SERVING = {
  signerName: 'kubernetes.io/kubelet-serving',
  usages: ['digital signature', 'server auth'],
};

/** In OpenShift a role lets machines ask; here everyone may, also strangers. */
export async function allowRequests(operators: FakeOperators): Promise<void> {
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1' };
  const metadata = { name: 'ask-for-certificates' };
  const rules = [
    {
      apiGroups: ['certificates.k8s.io'],
      resources: ['certificatesigningrequests'],
      verbs: ['create', 'get', 'list', 'watch'],
    },
  ];
  await operators.put({ ...rbac, kind: 'ClusterRole', metadata, rules });
  await operators.put({
    ...rbac,
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
    subjects: [
      { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:authenticated' },
    ],
  });
}

export interface Asked {
  readonly name: string;
  readonly what: typeof CLIENT;
  readonly names: RequestNames;
}

/** Asks as a machine would: the API itself notes who asked. */
export async function askForCertificate(
  api: KubeApi,
  user: ApiUser,
  { name, what, names }: Asked,
): Promise<void> {
  const { client } = await api.resources(user);
  const request = Buffer.from(await certificateRequest(names)).toString('base64');
  const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  const body = { ...KINDS.certificateRequest, metadata: { name }, spec: { ...what, request } };
  await client.json(silentContext(), { method: 'POST', path, body, what: `ask for ${name}` });
}
