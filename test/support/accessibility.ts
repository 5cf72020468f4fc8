import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface AxeResult {
  violations: { id: string; nodes: { html: string }[] }[];
}

/** What an accessibility checker finds; run by the debugger, whose scripts the page's policy does not concern. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResult;
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
