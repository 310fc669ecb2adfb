import { expect, test } from 'vitest';
import { scriptNeeds } from './script-needs.ts';

test('scriptNeeds names variables that nobody sets, and not those with a default', () => {
  const { variables } = scriptNeeds(`
# \${IN_A_COMMENT}
set -o nounset
export REGION="\${LEASED_RESOURCE}"
echo "$NAMESPACE-\${UNIQUE_HASH}" "\${OPTIONAL:-}" "\${OTHER-x}" '$QUOTED' $REGION $PWD
read -r ANSWER; echo "$ANSWER"
for ZONE in a b; do echo "$ZONE"; done
cat > file << EOF
name: \${JOB_NAME}
EOF
cat > file << 'EOF'
name: \${LEFT_ALONE}
EOF
`);

  expect(variables).toEqual(['JOB_NAME', 'LEASED_RESOURCE', 'NAMESPACE', 'UNIQUE_HASH']);
});

test('scriptNeeds names programs where a command stands, and nothing else', () => {
  const { programs } = scriptNeeds(`
function run_it() {
  aws --region "$REGION" ec2 describe-vpcs | jq -r '.Vpcs[].VpcId'
}
if [[ -f x ]]; then yq-go r file 'a
words of yq'; fi
id=$(oc get nodes) && FOO=bar openshift-install create "some words; here $(date)"
run_it || exit 1
while true; do sleep 1; done
`);

  expect(programs).toEqual(['aws', 'date', 'jq', 'oc', 'openshift-install', 'sleep', 'yq-go']);
});
