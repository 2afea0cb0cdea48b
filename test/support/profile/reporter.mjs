import path from 'node:path';
import { isOnRedis, note } from '../../../scripts/profile/notes.mjs';

/** Notes each file that Jest has run, of those too that ended before they could note anything themselves. */
export default class ProfileReporter {
  onTestFileResult({ path: file, context }, { numFailingTests, testExecError }) {
    const failed = numFailingTests + (testExecError ? 1 : 0);
    const onRedis = isOnRedis(context.config);
    note('files', { file: path.relative(process.cwd(), file), onRedis, failed });
  }
}
