import type { MessagesRequest } from '../../models/messages/request.ts'
import { textsOfRequest } from './texts-of-request.ts'

/** Characters (code points) of a request that the model reads as text. */
export function countCharacters(request: MessagesRequest): number {
  let count = 0
  for (const text of textsOfRequest(request)) for (const _ of text) count += 1
  return count
}
