import { defineTweetListing } from '../../../listing/define-listing.ts'
import { example } from './example.ts'

export const quoteTweets = defineTweetListing({
  id: 'tweets.quote_tweets',
  path: '/tweets/quote_tweets',
  priceUsd: '0.01',
  summary: 'Quotes of a tweet',
  description:
    'Quote tweets of a tweet by its numeric ID, most recent first, with author profiles and engagement metrics, paginated.',
  operation: 'quotesOf',
  of: 'tweet',
  pageSize: 20,
  example,
})
