import type { SocialUser } from '../../model.ts'
import { kindOf } from './at-uri.ts'
import type { IdOf } from './known-ids.ts'
import type { ProfileView } from './views.ts'

/** Shown by the network for an account whose handle does not resolve back to it. */
const INVALID_HANDLE = 'handle.invalid'

export function toUser(profile: ProfileView, idOf: IdOf): SocialUser {
  const { did, handle, displayName, description, avatar, banner, website, verification } = profile
  const createdAt = toIsoTime(profile.createdAt)
  const pinned = profile.pinnedPost && kindOf(profile.pinnedPost.uri) === 'tweet' && profile.pinnedPost.uri
  const metrics = {
    ...(profile.followersCount !== undefined && { followers_count: profile.followersCount }),
    ...(profile.followsCount !== undefined && { following_count: profile.followsCount }),
    ...(profile.postsCount !== undefined && { tweet_count: profile.postsCount }),
  }
  return {
    id: idOf(did),
    name: displayName || handle,
    username: handle,
    ...(description !== undefined && { description }),
    ...(createdAt !== null && { created_at: createdAt }),
    ...(avatar !== undefined && { profile_image_url: avatar }),
    ...(banner !== undefined && { profile_banner_url: banner }),
    ...(website !== undefined && { url: website }),
    ...(pinned && { pinned_tweet_id: idOf(pinned) }),
    ...(verification && {
      verified: verification.verifiedStatus === 'valid' || verification.trustedVerifierStatus === 'valid',
    }),
    ...(Object.keys(metrics).length > 0 && { public_metrics: metrics }),
    did,
  }
}

/** The profile's segment in a URL of the site: its handle, or its DID if the handle is invalid. */
export function nameInAddress({ did, handle }: ProfileView): string {
  return handle === INVALID_HANDLE ? did : handle
}

/** Normalizes an untrusted time; null if it is not a time in the years 0 to 9999. */
export function toIsoTime(provided: string | undefined): string | null {
  const time = new Date(provided ?? '')
  if (Number.isNaN(time.getTime())) return null
  const iso = time.toISOString()
  return /^\d{4}-/.test(iso) ? iso : null
}
