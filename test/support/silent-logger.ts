import { createLogger } from '../../src/platform/telemetry.ts';

export const silentLogger = createLogger({ level: 'silent', pretty: false });
