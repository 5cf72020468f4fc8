/** Whether a key still opens its account. The stores ask the same of many at once. */
export function isActiveKey(
  { revokedAt, expiresAt }: { revokedAt: Date | null; expiresAt: Date | null },
  nowMs: number,
): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt.getTime() > nowMs);
}
