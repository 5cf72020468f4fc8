/**
 * Loaded before every test file. A file whose tests are done but that left something open would hang for ever: this
 * ends it and says what is open. The timer itself keeps nothing alive.
 */
const fileTimeoutMs = 600_000;

if (process.env.NODE_TEST_CONTEXT) {
  setTimeout(() => {
    console.error(
      `${process.argv[1]} does not end; still open: ${process.getActiveResourcesInfo().join(', ')}`,
    );
    process.exit(1);
  }, fileTimeoutMs).unref();
}
