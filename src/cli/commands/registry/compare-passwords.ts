import { createInterface } from 'node:readline';
import { answerQuestions } from '../../../registry/auth/password-process.ts';
import { defineCommand } from '../../command.ts';

export const registryComparePasswordsCommand = defineCommand({
  name: 'registry compare-passwords',
  summary: 'Compares passwords for "registry serve", one line each',
  internal: true,
  examples: { 'atoll registry compare-passwords': 'reads questions, writes answers' },
  async run() {
    const input = createInterface({ input: process.stdin });
    await answerQuestions(input, (line) => process.stdout.write(`${line}\n`));
  },
});
