import { isFields } from '../fields.ts'
import type { Manifest } from './manifest.ts'

/** Values of the files that describe the owner, each a single wrapped object. */
type OwnerValues = { readonly account: unknown; readonly profile: unknown; readonly verified: unknown }

/** The owner as a user; the account's e-mail address is not imported. */
export function toOwner({ userInfo }: Manifest, values: OwnerValues): Readonly<Record<string, unknown>> {
  const account = unwrap(values.account, 'account')
  const profile = unwrap(values.profile, 'profile')
  const verified = unwrap(values.verified, 'verified')
  const { bio, website, location } = unwrap(profile, 'description')
  const createdMs = Date.parse(String(account['createdAt']))
  return {
    id: userInfo.accountId,
    name: userInfo.displayName,
    username: userInfo.userName,
    ...(!Number.isNaN(createdMs) && { created_at: new Date(createdMs).toISOString() }),
    ...(isText(bio) && { description: bio }),
    ...(isText(location) && { location }),
    ...(isText(website) && { url: website }),
    ...(isText(profile['avatarMediaUrl']) && { profile_image_url: profile['avatarMediaUrl'] }),
    ...(isText(profile['headerMediaUrl']) && { profile_banner_url: profile['headerMediaUrl'] }),
    ...(typeof verified['verified'] === 'boolean' && { verified: verified['verified'] }),
  }
}

function unwrap(value: unknown, name: string): Readonly<Record<string, unknown>> {
  const inner = isFields(value) ? value[name] : undefined
  return isFields(inner) ? inner : {}
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
