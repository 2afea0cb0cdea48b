import type {
  AuditLog,
  AuditRecord,
} from '../../../src/modules/audit/recording/audit-log.repository.js';
import { SignIns } from '../../../src/modules/audit/recording/sign-ins.js';

describe('Failed sign-ins', () => {
  it('are written later during a database outage', async () => {
    const written: AuditRecord[] = [];
    let isAway = true;
    const audit: Pick<AuditLog, 'record'> = {
      record: (...records) => {
        if (isAway) return Promise.reject(new Error('away'));
        written.push(...records);
        return Promise.resolve();
      },
    };
    const signIns = new SignIns(audit as AuditLog);
    const attempt = { user: null, address: '192.0.2.1', method: 'session' } as const;
    signIns.countFailure(attempt);
    await expect(signIns.writeAll()).rejects.toThrow('away');
    signIns.countFailure(attempt);
    isAway = false;
    await signIns.writeAll();
    expect(written).toMatchObject([{ ip: '192.0.2.1', details: { attempts: 2 } }]);
  });
});
