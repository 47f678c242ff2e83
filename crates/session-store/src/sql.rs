//! Statements of SQL in one call each, all of them cached.

use crate::error::Result;
use rusqlite::{Connection, OptionalExtension, Params, Row};

/// Runs statements that the connection keeps prepared. For those whose text has values of one call in it, and for those
/// that run once, rusqlite's own methods keep nothing.
pub(crate) trait Statements {
    /// Reads all rows of a query.
    fn rows<T, C: FromIterator<T>>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<C>;

    /// Reads the first row of a query, if it has one.
    fn first<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>>;

    /// Reads the first row of a query; an error where it has none.
    fn single<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T>;

    /// Runs a statement.
    fn run(&self, sql: &str, values: impl Params) -> Result<()>;

    /// Runs a statement, and returns how many rows it changed.
    fn change(&self, sql: &str, values: impl Params) -> Result<usize>;

    /// Inserts a row, and returns its number.
    fn insert(&self, sql: &str, values: impl Params) -> Result<i64>;
}

impl Statements for Connection {
    fn rows<T, C: FromIterator<T>>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<C> {
        let mut statement = self.prepare_cached(sql)?;
        let rows = statement.query_map(values, read)?;
        Ok(rows.collect::<rusqlite::Result<C>>()?)
    }

    fn first<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.prepare_cached(sql)?;
        Ok(statement.query_row(values, read).optional()?)
    }

    fn single<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        Ok(self.prepare_cached(sql)?.query_row(values, read)?)
    }

    fn run(&self, sql: &str, values: impl Params) -> Result<()> {
        self.change(sql, values).map(drop)
    }

    fn change(&self, sql: &str, values: impl Params) -> Result<usize> {
        Ok(self.prepare_cached(sql)?.execute(values)?)
    }

    fn insert(&self, sql: &str, values: impl Params) -> Result<i64> {
        Ok(self.prepare_cached(sql)?.insert(values)?)
    }
}
