import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { defineOtherMessagesNames } from '../define-other-names.ts'
import { loadMessagesEndpoints } from '../messages/mounted-endpoints.ts'
import type { MessagesPorts } from '../ports.ts'

/** The endpoints of the messages dialect for a service with these ports, under the operator's names as well. */
export async function mountMessages({ tiers }: MessagesPorts): Promise<readonly Endpoint[]> {
  return [...(await loadMessagesEndpoints()), ...defineOtherMessagesNames(tiers)]
}
