/** What a sealed signing secret is bound to: it opens for its own subscription only. */
export function secretContext(subscriptionId: string): string {
  return `webhook_subscription ${subscriptionId}`;
}
