import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { loadEndpoints } from '@tollbook/endpoints/load'

/** The endpoints of the messages dialect, sold by the utility service (specification 4.4). */
export async function loadMessagesEndpoints(): Promise<readonly Endpoint[]> {
  return (await loadEndpoints(new URL('../', import.meta.url))).filter(isOfMessages)
}

/** Whether the utility service sells an endpoint, rather than the inference service. */
export function isOfMessages({ dialect }: Endpoint): boolean {
  return dialect === 'messages'
}
