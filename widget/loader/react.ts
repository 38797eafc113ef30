export {
  Balance,
  type BalanceProps,
  BuyCredits,
  type BuyCreditsProps,
  PriceEstimate,
  type PriceEstimateProps,
  SignIn,
  type SignInProps,
  SpendToday,
} from './components.js';
export { SvcProvider, type SvcProviderProps, type UseSvc, type UseSvcOptions, useSvc } from './provider.js';
