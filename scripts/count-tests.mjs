// Reads the JSON report of vitest and ends with one plain line, for people and programs that count.
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const failed = report.testResults.filter((file) => file.status === 'failed');
// A file that does not even load has no failed test of its own, but it failed.
const unloaded = failed.filter((file) => file.assertionResults.length === 0);
for (const file of unloaded) console.log(`did not run: ${file.name}: ${file.message ?? ''}`);
for (const file of failed) {
  for (const test of file.assertionResults.filter((each) => each.status === 'failed')) {
    console.log(`failed: ${test.fullName}`);
  }
}
const skipped = report.numPendingTests + report.numTodoTests;
if (skipped > 0) console.log(`${skipped} skipped`);
console.log(`${report.numPassedTests} passed, ${report.numFailedTests + unloaded.length} failed`);
