/**
 * @needs python3 ruby
 * @operation
 */
import { describeReceivers } from '../../support/example-receiver.js';

describe('the receivers of docs/receiving-hooks.md', () => {
  describeReceivers({
    Node: [process.execPath, 'node/receiver.mjs'],
    Python: ['python3', 'python/receiver.py'],
    Ruby: ['ruby', 'ruby/receiver.rb'],
  });
});
