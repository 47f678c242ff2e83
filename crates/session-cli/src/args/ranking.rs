//! The options of ranking.

use super::values::parse_weight;
use clap::Args;

#[derive(Debug, Args)]
#[command(next_help_heading = "Ranking")]
pub struct RankingArgs {
    /// Fixed weight of the vector ranking, 0 (words only) to 1 (vectors only)
    #[arg(long, value_name = "WEIGHT", value_parser = parse_weight)]
    pub alpha: Option<f32>,
    /// Rank by vectors only
    #[arg(long, conflicts_with_all = ["keyword_only", "alpha"])]
    pub vector_only: bool,
    /// Rank by words only
    #[arg(long, conflicts_with = "alpha")]
    pub keyword_only: bool,
    /// Explain each score
    #[arg(long)]
    pub explain: bool,
}
