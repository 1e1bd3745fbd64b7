import { defineTweetListing } from '../../../listing/define-listing.ts'
import { example } from './example.ts'

export const listTweets = defineTweetListing({
  id: 'lists.tweets',
  path: '/lists/tweets',
  priceUsd: '0.01',
  summary: 'Tweets of a List',
  description:
    'Latest tweets of the members of the List with this numeric ID, most recent first, with author profiles, paginated.',
  operation: 'tweetsOfList',
  of: 'List',
  pageSize: 100,
  example,
})
