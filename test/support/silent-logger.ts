import { createLogger } from '../../src/platform/telemetry/telemetry.ts';

export const silentLogger = createLogger({ level: 'silent', pretty: false });
