import type { Endpoint } from '../../catalogue/endpoint.ts'
import { loadEndpoints } from '../../catalogue/load.ts'

/** The endpoints of the messages dialect, which the utility service sells (specification 4.4). */
export async function loadMessagesEndpoints(): Promise<readonly Endpoint[]> {
  return (await loadEndpoints(new URL('../', import.meta.url))).filter(isOfMessages)
}

/** Whether an endpoint is sold there, rather than by the inference service. */
export function isOfMessages({ dialect }: Endpoint): boolean {
  return dialect === 'messages'
}
