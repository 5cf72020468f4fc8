import { useEffect, useState } from 'preact/hooks';

/** The value as it was when it last stood still for a moment. */
export function useSettled<Value extends object>(value: Value, afterMs: number): Value {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}
