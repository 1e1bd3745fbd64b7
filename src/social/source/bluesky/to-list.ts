import type { SocialList } from '../../model/list.ts'
import { parseAtUri } from './at-uri.ts'
import type { IdOf } from './known-ids.ts'
import type { ListView } from './views.ts'

/**
 * Converts a list to a List. The network has no private lists and no followers of lists, and a picture
 * instead of a banner.
 */
export function toList(view: ListView, idOf: IdOf): SocialList {
  const { uri, name, purpose, description, avatar, listItemCount, creator } = view
  return {
    id: idOf(uri),
    name,
    ...(description !== undefined && { description }),
    private: false,
    ...(listItemCount !== undefined && { member_count: listItemCount }),
    owner_id: idOf(creator.did),
    ...(avatar !== undefined && { image_url: avatar }),
    ...(purpose !== undefined && { purpose: purpose.replace(/^.*#/, '') }),
    url: `https://bsky.app/profile/${creator.did}/lists/${parseAtUri(uri)?.key ?? ''}`,
    at_uri: uri,
  }
}
