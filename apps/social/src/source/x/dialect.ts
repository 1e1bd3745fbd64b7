/** The dialect of the parameters sent to the X API: the names from before August 2026, or those since. */
export type XDialect = 'tweet' | 'post'

/** What an operation requests: tweets with everything related, users only, or a List. */
export type XFields = 'tweets' | 'article' | 'users' | 'list' | 'none'

const FIRST_USER_FIELDS = 'created_at,description,entities,id,location,name'
const OTHER_USER_FIELDS =
  'profile_banner_url,profile_image_url,protected,public_metrics,url,username,verified,verified_type'
const USER_FIELDS: Record<XDialect, string> = {
  tweet: `${FIRST_USER_FIELDS},pinned_tweet_id,${OTHER_USER_FIELDS}`,
  post: `${FIRST_USER_FIELDS},${OTHER_USER_FIELDS}`,
}

const MEDIA_FIELDS =
  'alt_text,duration_ms,height,media_key,preview_image_url,public_metrics,type,url,variants,width'

const FIRST_LIST_FIELDS = 'created_at,description,follower_count,id,member_count,name,private'
const LIST_FIELDS: Record<XDialect, string> = {
  tweet: `${FIRST_LIST_FIELDS},owner_id`,
  // The owner is returned by its expansion.
  post: FIRST_LIST_FIELDS,
}

const TWEET_FIELDS: Record<XDialect, readonly string[]> = {
  tweet: [
    'article,attachments,author_id,community_id,conversation_id,created_at,display_text_range',
    'edit_history_tweet_ids,entities,in_reply_to_user_id,lang,note_tweet,possibly_sensitive,public_metrics',
    'referenced_tweets,reply_settings',
  ],
  // The author, who is part of the answer, and the referenced posts are returned by their expansions.
  post: [
    'article,attachments,community_id,conversation_id,created_at,display_text_range,entities,lang',
    'note_post,possibly_sensitive,public_metrics,reply_settings',
  ],
}

const EXPANSIONS: Record<XDialect, string> = {
  tweet:
    'author_id,attachments.media_keys,referenced_tweets.id,referenced_tweets.id.author_id,in_reply_to_user_id',
  post: 'author_id,attachments.media_keys,referenced_posts,in_reply_to_user_id',
}

const ARTICLE_EXPANSIONS = 'article.cover_media,article.media_entities'

/** The parameters that request everything an operation returns (docs.x.com, data dictionary). */
export function fieldParameters(fields: XFields, dialect: XDialect): Readonly<Record<string, string>> {
  switch (fields) {
    case 'none':
      return {}
    case 'users':
      return { 'user.fields': USER_FIELDS[dialect] }
    case 'list':
      return {
        'list.fields': LIST_FIELDS[dialect],
        'user.fields': USER_FIELDS[dialect],
        expansions: 'owner_id',
      }
    case 'tweets':
    case 'article':
      return {
        [`${dialect}.fields`]: TWEET_FIELDS[dialect].join(','),
        'user.fields': USER_FIELDS[dialect],
        'media.fields': MEDIA_FIELDS,
        expansions:
          fields === 'article' ? `${EXPANSIONS[dialect]},${ARTICLE_EXPANSIONS}` : EXPANSIONS[dialect],
      }
    default:
      throw new Error('unreachable', { cause: fields satisfies never })
  }
}
